"""Tables that remember: where they are kept, who may see and do what at them, and how their deals are fair."""
