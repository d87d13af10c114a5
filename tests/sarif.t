#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SARIF logs are complete: what the standard requires and GitHub code scanning asks for, right places
in files with any bytes and names, the same bytes for the same input; sarif-tools reads them.

ATTNC=build/attnc names the compiler. sarif-tools, and pydantic-sarif, which is the standard's schema as
classes that refuse any other property, are used where `make deps` has installed them.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / os.environ.get("BUILD", "build")
ATTNC = os.path.abspath(os.environ.get("ATTNC", BUILD / "attnc"))
VENV = next((v for v in (BUILD / "venv", BUILD.parent / "venv") if (v / "bin" / "sarif").is_file()), None)
VALIDATE = """
import json, sys
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Log
for log in json.load(sys.stdin):
    Log.model_validate(log)
"""
LINE_HASH = re.compile(r"[0-9a-f]{1,16}:[1-9][0-9]*")
count = failed = 0
checked = []  # logs

ERRORS = """import "std/cpu.attn";
model m { layers = 2; heads = 4; kv_heads = 3; head_dim = 64; dtype = f32; }
/* \u03b1\u03b2\u03b3 \U0001d518 */ model n { layers = 08; heads = 4; head_dim = 64; dtype = f32; }
deploy d {
    model = o; platform = x86_64; max_seqs = 1; max_tokens = 256; max_batch_tokens = 64;
    backend_per_kind { full_atention = CPU_REF; }
}
deploy d { }
"""
WARNING = """import "std/cpu.attn";
model m { layers = 2; heads = 4; head_dim = 64; dtype = f32; }
deploy d {
    model = m; platform = x86_64; max_seqs = 1; max_tokens = 256; max_batch_tokens = 64;
    backend_per_kind { sliding_window = CPU_REF; }
}
"""
GOOD = "model m { layers = 2; heads = 4; head_dim = 64; dtype = f32; }\n"


def point(good, name, comments=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        print("".join(f"# {line}\n" for line in str(comments).splitlines()), end="")


def skip(name, reason):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {reason}")


def attnc(*words, **settings):
    done = subprocess.run([ATTNC, *words], capture_output=True, check=False, **settings)
    return done.returncode, done.stdout, done.stderr


def log_of(*words):
    status, out, err = attnc(*words, "--diagnostics", "sarif")
    point(out == b"" and err.isascii(), f"{words}: the log is all that is printed, and ASCII", out)
    return status, json.loads(err)


def messages(value):
    """Every message object of a log."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "message":
                yield inner
            yield from messages(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from messages(inner)


def check_rule(rule, name):
    words = [rule.get("shortDescription", {}).get("text"), rule.get("fullDescription", {}).get("text"),
             rule.get("help", {}).get("text"), rule.get("help", {}).get("markdown"), rule.get("name")]
    point(all(words) and re.fullmatch(r"A\d{4}", rule["id"]) and rule["name"].isalnum(),
          f"{name}: rule {rule['id']} has a name, descriptions and help", rule)
    level = rule["defaultConfiguration"]["level"]
    point(level in ("error", "warning") and rule["properties"]["problem.severity"] == level and
          rule["properties"]["precision"] == "very-high" and len(rule["properties"]["tags"]) >= 1,
          f"{name}: rule {rule['id']} has a level, a severity, a precision and tags", rule)


def check_location(location, name):
    place = location["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    region = place["region"]
    numbers = [region[k] for k in ("startLine", "startColumn", "endLine", "endColumn")]
    good = (all(isinstance(n, int) and n >= 1 for n in numbers) and
            (numbers[0], numbers[1]) <= (numbers[2], numbers[3]))
    point(good and re.fullmatch(r"[A-Za-z0-9\-._~/%]+", uri) and
          place["artifactLocation"]["uriBaseId"] in ("%SRCROOT%", "ATTNC_LIBRARY"),
          f"{name}: the place {uri}:{numbers[0]}:{numbers[1]} is a region in a file", place)


def check_result(result, rules, name):
    index = result["ruleIndex"]
    point(rules[index]["id"] == result["ruleId"] and result["level"] in ("error", "warning"),
          f"{name}: result {result['ruleId']} has its rule and a level", result)
    point(len(result["locations"]) == 1, f"{name}: result {result['ruleId']} has one place", result)
    for location in result["locations"] + result.get("relatedLocations", []):
        check_location(location, name)
    ids = [r["id"] for r in result.get("relatedLocations", [])]
    links = [int(n) for n in re.findall(r"\]\((\d+)\)", result["message"]["text"])]
    point(ids == list(range(1, len(ids) + 1)) == links,
          f"{name}: the message links its related places", result)


def check_log(log, name):
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    rules = driver["rules"]
    point(log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json") and
          len(log["runs"]) == 1 and run["columnKind"] == "unicodeCodePoints" and
          driver["name"] == "attnc" and re.fullmatch(r"\d+\.\d+\.\d+", driver["semanticVersion"]),
          f"{name}: one run of attnc, with its version, columns in code points")
    ids = [rule["id"] for rule in rules]
    point(ids == sorted(set(ids)) and set(ids) == {r["ruleId"] for r in run["results"]},
          f"{name}: the rules are the codes that occur, by code", ids)
    for rule in rules:
        check_rule(rule, name)
    for result in run["results"]:
        check_result(result, rules, name)
    texts = [m["text"] for m in messages(log)]
    odd = [t for t in texts if re.search(r"(?<!\{)(\{\{)*\{(?!\{)|(?<!\})(\}\})*\}(?!\})", t)]
    point(all(texts) and not odd, f"{name}: messages have text, and braces are doubled", odd)
    point(not re.search(r'"[A-Za-z]*(?:Utc|[gG]uid)"', json.dumps(log)),
          f"{name}: no times and no identifiers made up")
    checked.append(log)


def check_schema():
    name = "all logs are valid by the standard's schema"
    if not VENV:
        skip(name, "pydantic-sarif is not installed in build/venv")
        return
    broken = [{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "attnc", "nmae": ""}}}]}]
    for logs, good in ((checked, True), (broken, False)):
        done = subprocess.run([VENV / "bin" / "python", "-c", VALIDATE], input=json.dumps(logs),
                              capture_output=True, text=True, check=False)
        point((done.returncode == 0) == good, name if good else "... and a broken one is not",
              done.stderr[-2000:])


def check_tools(path):
    if not VENV:
        skip("sarif-tools reads the log", "sarif-tools is not installed in build/venv")
        return
    done = subprocess.run([VENV / "bin" / "sarif", "summary", path], capture_output=True, text=True,
                          check=False)
    errors = len([r for r in json.loads(pathlib.Path(path).read_text())["runs"][0]["results"]
                  if r["level"] == "error"])
    point(done.returncode == 0 and f"error: {errors}" in done.stdout, "sarif-tools reads the log",
          done.stdout + done.stderr)


def errors_and_warnings():
    pathlib.Path("e.attn").write_text(ERRORS)
    status, log = log_of("check", "e.attn")
    check_log(log, "errors")
    results = log["runs"][0]["results"]
    codes = [r["ruleId"] for r in results]
    point(status == 1 and codes == ["A0453", "A0108", "A0301", "A0354", "A0302"],
          "all errors are in the log, in the order of the file", codes)
    for result in results:
        region = result["locations"][0]["physicalLocation"]["region"]
        line = ERRORS.split("\n")[region["startLine"] - 1]
        said = line[region["startColumn"] - 1:region["endColumn"] - 1]
        want = {"A0453": "3", "A0108": "08", "A0301": "o", "A0354": "full_atention", "A0302": "d"}
        point(said == want[result["ruleId"]], f"{result['ruleId']}: the region is what it is about",
              f"{said!r} at {region}")
        hashed = result["partialFingerprints"]["primaryLocationLineHash"]
        point(LINE_HASH.fullmatch(hashed), f"{result['ruleId']} has the hash of its line", hashed)
    pathlib.Path("log.sarif").write_text(json.dumps(log))
    check_tools("log.sarif")
    again = attnc("check", "e.attn", "--diagnostics", "sarif")[2]
    point(json.loads(again) == log and again == attnc("check", "e.attn", "--diagnostics=sarif")[2],
          "the log is the same for the same input")
    status, log = log_of("check", "e.attn", "--max-errors", "2")
    run = log["runs"][0]
    point(len(run["results"]) == 2 and "too many errors (2 shown, 5 in all)" in
          run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
          "--max-errors cuts the results, and the log says so", run["invocations"])
    check_log(log, "--max-errors")
    pathlib.Path("w.attn").write_text(WARNING)
    status, log = log_of("check", "w.attn")
    check_log(log, "warning")
    point(status == 0 and log["runs"][0]["results"][0]["level"] == "warning" and
          log["runs"][0]["tool"]["driver"]["rules"][0]["name"] == "UnusedMapping",
          "a warning has the level and a rule named like its flag")
    status, log = log_of("check", "w.attn", "-Werror")
    point(status == 1 and log["runs"][0]["results"][0]["level"] == "error" and
          log["runs"][0]["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"] == "warning",
          "-Werror raises the result, not the rule")


def empty_and_misused():
    pathlib.Path("g.attn").write_text(GOOD)
    status, log = log_of("check", "g.attn")
    check_log(log, "nothing found")
    point(status == 0 and log["runs"][0]["results"] == [] and
          log["runs"][0]["invocations"][0]["executionSuccessful"] is True,
          "a run that finds nothing has a log with no results")
    status, log = log_of("chekc", "g.attn")
    check_log(log, "usage")
    invocation = log["runs"][0]["invocations"][0]
    point(status == 2 and invocation["exitCode"] == 2 and not invocation["executionSuccessful"] and
          "chekc" in invocation["toolConfigurationNotifications"][0]["message"]["text"],
          "a mistake of the command line is a notification of the tool's configuration", invocation)
    status, log = log_of("check", "missing.attn", "g.attn")
    check_log(log, "no place")
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    point(status == 3 and place["artifactLocation"]["uri"] == "missing.attn" and
          place["region"]["startLine"] == 1, "what is about a file stands at its start", place)
    status, log = log_of("build", "g.attn", "-o", "out")
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    point(status == 1 and place["artifactLocation"]["uri"] == "g.attn",
          "what has no place stands at the start of the file that was given", place)


def odd_names():
    name = b"a b%{\xc3\xa9\xff\"[x]:.attn"
    os.mkdir("dir")
    with open(b"dir/" + name, "wb") as f:
        f.write(b'import "no{}such].attn";\nmodel m { layers = 08; }\n')
    status, log = log_of("check", b"dir/" + name)
    check_log(log, "odd names")
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    point(status == 1 and urllib.parse.unquote_to_bytes(uri) == b"dir/" + name,
          "a uri decodes to the bytes of the file's name", uri)
    here = os.getcwd()
    pathlib.Path("e.attn").write_text(ERRORS)
    absolute = attnc("check", f"{here}/e.attn", "--diagnostics=sarif", f"--prefix-map={here}/=")[2]
    point(absolute == attnc("check", "e.attn", "--diagnostics=sarif")[2],
          "--prefix-map makes the log of an absolute path that of a relative one")


def output_file():
    pathlib.Path("w.attn").write_text(WARNING)
    status, out, err = attnc("check", "w.attn", "--diagnostics=sarif", "--diagnostics-output=o.sarif")
    want = attnc("check", "w.attn", "--diagnostics=sarif")[2]
    point(status == 0 and out + err == b"" and pathlib.Path("o.sarif").read_bytes() == want,
          "--diagnostics-output writes to a file what would go to standard error", err)
    status, out, err = attnc("check", "w.attn", "--diagnostics=sarif", "--diagnostics-output=no/o.sarif")
    point(status == 3 and b"cannot write `no/o.sarif`" in err and b"A0610" in err,
          "... and when it cannot, says so, and says what was found", err)


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory(prefix="sarif-") as folder:
        os.chdir(folder)
        errors_and_warnings()
        empty_and_misused()
        odd_names()
        output_file()
        check_schema()
        os.chdir("/")
    print(f"1..{count}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
