# SPDX-License-Identifier: Apache-2.0
# Takes from scdoc's pages the paragraph breaks that stand after a heading or before another break,
# which have no effect and which mandoc -Tlint complains of.
/^\.P$/ { pending = 1; next }
{
    if (pending && !heading && $0 !~ /^\.(SH|SS|RE|RS)/)
        print ".P"
    pending = 0
    heading = /^\.S[HS]/
    print
}
