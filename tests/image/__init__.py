"""Checks of the image: built and run by a container engine or, without one, by its own steps in clean roots."""
