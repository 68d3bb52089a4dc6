-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest ea1264a4.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

cst_manifest_of_files as (

    select
        repo,
        path,
        file_id,
        cst_manifest
    from evidence_cst

),

cst_parse_manifest_seen as (

    select
        repo,
        path,
        file_id,
        entry.encoding,
        entry.default_indent,
        entry.default_newline,
        entry.has_trailing_newline,
        entry.future_imports,
        entry.module_name,
        entry.package_name,
        entry.libcst_version,
        entry.parsed_python_version
    from cst_manifest_of_files
        lateral view explode(cst_manifest) cst_manifest_exploded as entry

)

select * from cst_parse_manifest_seen
