-- Generated from python_hooks/codelake/semantic/catalog/scip.py, digest 15a33770.
-- Do not edit: run `codelake compile`.
with

evidence_scip as (

    select * from {{ ref('evidence_scip') }}

),

scip_symbol_names_of_evidence_scip as (

    select
        repo,
        path,
        file_id,
        document_idx,
        scip_symbol_names
    from evidence_scip

),

scip_symbol_names_seen as (

    select
        repo,
        path,
        file_id,
        document_idx,
        entry.symbol as scip_symbol,
        entry.scheme,
        entry.manager,
        entry.package as scip_package,
        entry.version as scip_version,
        entry.local_id as local_name,
        entry.descriptors,
        entry.descriptor_kinds,
        entry.disambiguators,
        entry.error as symbol_error
    from scip_symbol_names_of_evidence_scip
        lateral view explode(scip_symbol_names) scip_symbol_names_exploded as entry

)

select * from scip_symbol_names_seen
