-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest a02cd506.
-- Do not edit: run `codelake compile`.
with

evidence_scip as (

    select * from {{ ref('evidence_scip') }}

),

scip_diagnostics_of_evidence_scip as (

    select
        repo,
        path,
        file_id,
        document_idx,
        scip_diagnostics
    from evidence_scip

),

scip_diagnostics_seen as (

    select
        repo,
        path,
        file_id,
        document_idx,
        item_no,
        entry.symbol as scip_symbol,
        entry.severity as severity_no,
        entry.severity_name as severity,
        entry.code as diagnostic_code,
        entry.message as diagnostic_text,
        entry.source as diagnostic_source,
        entry.tags,
        entry.bstart,
        entry.bend
    from scip_diagnostics_of_evidence_scip
        lateral view posexplode(scip_diagnostics) scip_diagnostics_exploded as item_no, entry
    where path is not null and file_id is not null and document_idx is not null

)

select * from scip_diagnostics_seen
