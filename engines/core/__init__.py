"""What most games import from the core, in one place.

The function `dealing` is imported from `engines.core.dealing`, because the module has the same name.
"""

from engines.core.dealing import dealt_out, deck_is_the_pack, deck_is_whole, first_dealer
from engines.core.engine import (
    Applied,
    Candidates,
    Engine,
    Move,
    Objections,
    Result,
    Standing,
    Step,
    best,
    ranked,
    won_by_most,
)
from engines.core.hidden import drawn, movers_only, not_held, only_own, owners_only, unknown, without
from engines.core.judge import refused_in
from engines.core.places import doubled, repeated
from engines.core.records import changed, replaced
from engines.core.rulings import (
    Event,
    Fault,
    Undetermined,
    Unverified,
    Violation,
    decides,
    forbids,
    happens,
    refutes,
    rulings_of,
    undetermined,
)
from engines.core.seats import left_of, one_entry_a_seat, seats_at_the_table
from engines.core.several_hands import SeveralHands, ToATarget
from engines.core.shape import Doc, Drawn, Length, Null, OneOf, Player, Text, Unknown, Whole, option
from engines.core.sides import one_entry_a_side, opposite, side_of, sides_of
from engines.core.zones import Zones

__all__ = [
    "Applied", "Candidates", "Doc", "Drawn", "Engine", "Event", "Fault", "Length", "Move", "Null", "Objections",
    "OneOf", "Player", "Result", "SeveralHands", "Standing", "Step", "Text", "ToATarget", "Undetermined", "Unknown",
    "Unverified", "Violation", "Whole", "Zones", "best", "changed", "dealt_out", "decides", "deck_is_the_pack",
    "deck_is_whole", "doubled", "drawn", "first_dealer", "forbids", "happens", "left_of", "movers_only", "not_held",
    "one_entry_a_seat", "one_entry_a_side", "only_own", "opposite", "option", "owners_only", "ranked", "refused_in",
    "refutes", "repeated", "replaced", "rulings_of", "seats_at_the_table", "side_of", "sides_of", "undetermined",
    "unknown", "without", "won_by_most",
]  # fmt: skip
