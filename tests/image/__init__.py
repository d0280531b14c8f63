"""The image is what it promises: built and run by an engine; where there is none, by its own steps in clean roots."""
