-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest b9c629b9.
-- Do not edit: run `codelake compile`.
with

evidence_scip as (

    select * from {{ ref('evidence_scip') }}

),

scip_metadata_of_evidence_scip as (

    select
        repo,
        repository_id,
        index_sha256,
        scip_metadata
    from evidence_scip

),

scip_metadata_seen as (

    select
        repo,
        repository_id,
        index_sha256,
        entry.protocol_version,
        entry.tool_name,
        entry.tool_version,
        entry.tool_arguments,
        entry.project_root,
        entry.text_document_encoding
    from scip_metadata_of_evidence_scip
        lateral view explode(scip_metadata) scip_metadata_exploded as entry

)

select * from scip_metadata_seen
