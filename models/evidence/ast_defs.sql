-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest 449cc670.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

defs_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        ast_defs
    from evidence

),

defs as (

    select
        repo,
        path,
        file_id,
        definition.def_id,
        def_ids[definition.parent_def_no] as parent_id,
        def_no,
        definition.kind,
        definition.name,
        definition.qualified_name,
        definition.def_path,
        definition.redefinition,
        definition.is_async,
        definition.signature,
        definition.returns,
        definition.name_bstart,
        definition.name_bend
    from defs_of_files
        lateral view posexplode(ast_defs) defs_exploded as def_no, definition

)

select * from defs
