#!/bin/sh
# The matched layers of all examples.
LAYERS=all exec "${0%/*}/solve_layers.sh"
