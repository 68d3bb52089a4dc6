"""What Python and SQL share: identifiers, spans and the shape of an evidence row.

- ids.py: the recipes of every identifier
- spans.py: parser positions -> bytes of the stored file
- rows.py: the Arrow schema of one row per file

These modules are vocabularies: they import no stage.
"""
