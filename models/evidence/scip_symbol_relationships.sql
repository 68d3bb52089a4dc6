-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest e9333bd6.
-- Do not edit: run `codelake compile`.
with

evidence_scip as (

    select * from {{ ref('evidence_scip') }}

),

scip_relationships_of_evidence_scip as (

    select
        repo,
        path,
        file_id,
        document_idx,
        scip_relationships
    from evidence_scip

),

scip_symbol_relationships_seen as (

    select
        repo,
        path,
        file_id,
        document_idx,
        item_no,
        entry.symbol as scip_symbol,
        entry.related_symbol,
        entry.is_reference,
        entry.is_implementation,
        entry.is_type_definition,
        entry.is_definition
    from scip_relationships_of_evidence_scip
        lateral view posexplode(scip_relationships) scip_relationships_exploded as item_no, entry

)

select * from scip_symbol_relationships_seen
