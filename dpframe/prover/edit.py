"""What a way out asks for, in a form that a program can carry out."""

from __future__ import annotations

import attrs

from dpframe.graph import Node

TABLE, PUBLIC, CLIP, FIELD, RELEASE = "table", "public", "clip", "field", "release"
DROP, SHARES, NOISE = "drop", "shares", "noise"
EVEN, ALL_NOISE = "even shares", "all noise"
EDITS = (TABLE, PUBLIC, CLIP, FIELD, RELEASE, DROP, SHARES, EVEN, NOISE, ALL_NOISE)


@attrs.frozen(eq=False)
class Edit:
    """One edit of a graph, for the reader of a refusal: no part of any proof, and of no file.

    table: read the table of the setting. public: put a public number in place of the symbol
    `value`. clip: clip what the statistic `node` reads. field: the formula `name` of `node` becomes
    `value` (None: the theorem's own). release: release the raw `node`, at a share. drop: read the
    raw `node` nowhere. shares: multiply all shares of `name` (of the graphs in the procedure
    `node`, where there is one) by `value`. even shares: one even share for each release. noise:
    calibrate the release `node` by the theorem `value`. all noise: scale all noise to the target.
    """

    what: str = attrs.field(validator=attrs.validators.in_(EDITS))
    node: Node | None = None
    value: object = None
    name: str = ""
