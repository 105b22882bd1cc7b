"""The tests of skrank, which import their helpers from here by name.

What a test calls by a public name is a contract: other values, errors or warnings are a
change for users, and stand in the changelog. A test that imports a private module is
about how a promise is kept, such as without a second sort, and changes with it. A value
is compared with a reference, with another library or with rows by hand; a second of
them is for what the first does not reach.
"""

# SPDX-License-Identifier: BSD-3-Clause
