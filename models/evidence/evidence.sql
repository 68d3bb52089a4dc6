-- Generated from python_hooks/codelake/semantic/catalog/files.py, digest 337a899b.
-- Do not edit: run `codelake compile`.
select
    repo,
    path,
    file_id,
    repository_id,
    file_sha256,
    size_bytes,
    encoding,
    newline,
    module_name,
    is_package,
    is_test,
    is_generated,
    extractor_digest,
    python_version,
    content,
    line_starts,
    ast_nodes,
    ast_defs,
    ast_imports,
    errors
from {{ scanned_files() }}
