-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest 6b3e4519.
-- Do not edit: run `codelake compile`.
with

evidence_scip as (

    select * from {{ ref('evidence_scip') }}

),

scip_stats_of_evidence_scip as (

    select
        repo,
        repository_id,
        index_sha256,
        scip_stats
    from evidence_scip

),

scip_index_stats_seen as (

    select
        repo,
        repository_id,
        index_sha256,
        entry.documents,
        entry.occurrences,
        entry.definitions,
        entry.symbols,
        entry.external_symbols,
        entry.relationships,
        entry.diagnostics,
        entry.documents_with_text,
        entry.documents_without_encoding,
        entry.assumed_on_wide_lines,
        entry.corrupt_pieces
    from scip_stats_of_evidence_scip
        lateral view explode(scip_stats) scip_stats_exploded as entry

)

select * from scip_index_stats_seen
