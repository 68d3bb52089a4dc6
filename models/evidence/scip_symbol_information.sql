-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest b3a30fca.
-- Do not edit: run `codelake compile`.
with

evidence_scip as (

    select * from {{ ref('evidence_scip') }}

),

scip_symbols_of_evidence_scip as (

    select
        repo,
        path,
        file_id,
        document_idx,
        scip_symbols
    from evidence_scip

),

scip_symbol_information_seen as (

    select
        repo,
        path,
        file_id,
        document_idx,
        item_no,
        entry.symbol as scip_symbol,
        entry.is_external,
        entry.kind as symbol_kind_no,
        entry.kind_name as symbol_kind,
        entry.display_name,
        entry.enclosing_symbol,
        entry.documentation,
        entry.signature_text,
        entry.signature_language,
        entry.relationship_count
    from scip_symbols_of_evidence_scip
        lateral view posexplode(scip_symbols) scip_symbols_exploded as item_no, entry

)

select * from scip_symbol_information_seen
