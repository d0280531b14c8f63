"""Reads answers by the models of a generated Python client, and prints what they make of them and of a few mistakes.

Run by `typed.py` with a Python that has the generator's packages: the kind of models, their module, and a file with
`[{schema, answer}]`, in the client's folder. It prints one JSON object: which schemas were not read, of which the state
that is written again is another, and what was taken of what is wrong.
"""

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

FORMS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "pydantic": ("model_validate", lambda model: model.model_dump(mode="json", by_alias=True, exclude_unset=True)),
    "plain": ("from_dict", lambda model: model.to_dict()),
}
"""How models are made of JSON, and JSON of models."""
WRONG = {
    "phase": ("TwinsState", {"phase": "tric", "chips": [12, 12, 12], "pot": 0}),
    "card": ("TwinsPlay", {"type": "play", "seat": 0, "cards": ["blu-9", "blue-7"]}),
    "ruleset": ("TwinsRuleset", {"name": "standrad"}),
    "member": ("TwinsState", {"phase": "buying", "chips": [12, 12, 12], "pot": 0, "delaer": 1}),
}


def main() -> None:
    form, module, file = sys.argv[1:]
    sys.path.insert(0, str(Path.cwd()))
    read, write = FORMS[form]
    models = importlib.import_module(module)

    def model(schema: str, value: Any) -> Any:
        return getattr(getattr(models, schema), read)(value)

    unread, other_states, accepted = set(), set(), []
    for each in json.loads(Path(file).read_text("utf-8")):
        schema, answer = each["schema"], each["answer"]
        try:
            written_answer = json.loads(json.dumps(write(model(schema, answer))))
        except Exception as error:  # noqa: BLE001 - every generator has its own
            unread.add(f"{schema}: {str(error).splitlines()[0]}")
            continue
        if written_answer.get("state") != answer.get("state"):
            other_states.add(schema)
    for what, (schema, value) in WRONG.items():
        try:
            model(schema, value)
        except Exception:  # noqa: BLE001
            continue
        accepted.append(what)
    result = {"unread": sorted(unread), "other states": sorted(other_states), "taken": accepted}
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
