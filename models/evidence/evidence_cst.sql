-- Generated from python_hooks/codelake/semantic/catalog/files.py, digest cfaf57a2.
-- Do not edit: run `codelake compile`.
select
    repo,
    path,
    file_id,
    file_sha256,
    extractor_digest,
    python_version,
    def_ids,
    cst_manifest,
    cst_refs,
    cst_defs,
    cst_imports,
    cst_callsites,
    cst_call_args,
    cst_type_exprs,
    cst_docstrings,
    cst_decorators,
    errors
from {{ scanned_files() }}
