#!/usr/bin/env bash
# Prints the newest supported Python of this machine, or nothing.
for version in 3.13 3.12; do
    for candidate in "python$version" "$HOME/.pyenv/versions/$version".*/bin/python python3; do
        found=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
        if [ "$found" = "$version" ]; then
            command -v "$candidate"
            exit 0
        fi
    done
done
