-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest 74e55269.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

imports_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        ast_imports
    from evidence

),

imports as (

    select
        repo,
        path,
        file_id,
        if(
            import_entry.ordinal = 0,
            def_ids[import_entry.def_no],
            xxhash64(def_ids[import_entry.def_no], import_entry.ordinal)
        ) as import_id,
        def_ids[import_entry.def_no] as owner_id,
        import_entry.kind,
        import_entry.module,
        import_entry.name,
        import_entry.asname,
        import_entry.level,
        import_entry.is_star
    from imports_of_files
        lateral view explode(ast_imports) imports_exploded as import_entry

)

select * from imports
