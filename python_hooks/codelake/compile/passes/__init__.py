"""One pass per file; `codelake.compile.pipeline` gives their order."""
