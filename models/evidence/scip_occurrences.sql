-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest 2b435716.
-- Do not edit: run `codelake compile`.
with

evidence_scip as (

    select * from {{ ref('evidence_scip') }}

),

scip_occurrences_of_evidence_scip as (

    select
        repo,
        path,
        file_id,
        document_idx,
        scip_occurrences
    from evidence_scip

),

scip_occurrences_seen as (

    select
        repo,
        path,
        file_id,
        document_idx,
        entry.idx as item_no,
        entry.symbol as scip_symbol,
        entry.symbol_roles,
        entry.is_definition,
        entry.is_import,
        entry.is_write,
        entry.is_read,
        entry.is_generated as is_generated_code,
        entry.is_test as is_test_code,
        entry.is_forward_definition,
        entry.syntax_kind,
        entry.override_documentation,
        entry.range_raw,
        entry.bstart,
        entry.bend,
        entry.enclosing_range_raw,
        entry.enclosing_bstart,
        entry.enclosing_bend
    from scip_occurrences_of_evidence_scip
        lateral view explode(scip_occurrences) scip_occurrences_exploded as entry
    where path is not null and file_id is not null and document_idx is not null

)

select * from scip_occurrences_seen
