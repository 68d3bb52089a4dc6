-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest ffc1c504.
-- Do not edit: run `codelake compile`.
with

evidence_scip as (

    select * from {{ ref('evidence_scip') }}

),

scip_documents_of_evidence_scip as (

    select
        repo,
        path,
        file_id,
        document_idx,
        index_sha256,
        scip_documents
    from evidence_scip

),

scip_documents_seen as (

    select
        repo,
        path,
        file_id,
        document_idx,
        index_sha256,
        entry.language,
        entry.position_encoding,
        entry.encoding_used,
        entry.in_repository as is_in_repository,
        entry.occurrence_count,
        entry.definition_count,
        entry.symbol_count
    from scip_documents_of_evidence_scip
        lateral view explode(scip_documents) scip_documents_exploded as entry

)

select * from scip_documents_seen
