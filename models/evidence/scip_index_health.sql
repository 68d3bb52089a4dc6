-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest 8c506273.
-- Do not edit: run `codelake compile`.
with

evidence_scip as (

    select * from {{ ref('evidence_scip') }}

),

scip_health_of_evidence_scip as (

    select
        repo,
        path,
        file_id,
        document_idx,
        scip_health
    from evidence_scip

),

scip_index_health_seen as (

    select
        repo,
        path,
        file_id,
        document_idx,
        entry.idx as item_no,
        entry.check_name,
        entry.severity,
        entry.count as findings,
        entry.text as health_text
    from scip_health_of_evidence_scip
        lateral view explode(scip_health) scip_health_exploded as entry

)

select * from scip_index_health_seen
