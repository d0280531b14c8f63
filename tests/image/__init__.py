"""Build and run the image by a container engine or, if there is none, by the Dockerfile's steps in clean roots."""
