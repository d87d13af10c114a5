// SPDX-License-Identifier: Apache-2.0
// The release of attnc. Generated files do not hold it: what they hold must not change when only
// the compiler does.
#ifndef GEN_VERSION_H
#define GEN_VERSION_H

#define ATTNC_VERSION "0.1"

#endif
