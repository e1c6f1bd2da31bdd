"""Files of budgets, changed and sealed again as whoever has the key can."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

import numpy as np


def resealed(
    text: str, *, key: bytes | None = None, arrays: Mapping[str, np.ndarray] = {}, **changes: Any
) -> str:
    """The text with changes in it; the HMAC is made right where there is a key."""
    whole = json.loads(text)
    body = whole["ledger"]
    body |= changes
    for name, values in arrays.items():
        whole["arrays"][name] = base64.b64encode(values.tobytes()).decode()
        digest = hashlib.sha256(values.tobytes()).hexdigest()
        body["arrays"][name] = {"type": values.dtype.str, "sha256": digest}
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    whole["seal"] = hashlib.sha256(canonical).hexdigest()
    if key:
        whole["hmac"] = hmac.new(key, canonical, "sha256").hexdigest()
    return json.dumps(whole, indent=1) + "\n"
