-- Generated from python_hooks/codelake/semantic/catalog/files.py, digest 1755e452.
-- Do not edit: run `codelake compile`.
select
    repo,
    path,
    file_id,
    file_sha256,
    extractor_digest,
    python_version,
    def_ids,
    bc_units,
    bc_instructions,
    bc_consts,
    bc_exceptions,
    bc_blocks,
    bc_edges,
    bc_stack_uses,
    bc_lines,
    errors
from {{ scanned_files() }}
