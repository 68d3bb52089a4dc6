-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest f5d52679.
-- Do not edit: run `codelake compile`.
-- depends_on: {{ ref('evidence') }}
select
    repo,
    repository_id,
    path,
    file_id,
    file_sha256,
    document_idx,
    index_sha256,
    extractor_digest,
    scip_metadata,
    scip_stats,
    scip_documents,
    scip_occurrences,
    scip_symbols,
    scip_symbol_names,
    scip_relationships,
    scip_diagnostics,
    scip_health
from {{ gathered_rows() }}
