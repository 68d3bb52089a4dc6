-- Generated from python_hooks/codelake/semantic/catalog/surface_modules.py, digest 9727ec24.
-- Do not edit: run `codelake compile`.
with

resolved_links as (

    select * from {{ ref('resolved_links') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

imports_found as (

    select
        repo,
        path,
        file_id,
        dst_node_id as imported_id
    from resolved_links
    where kind = 'IMPORTS'

),

imported_things as (

    select
        node_id as imported_id,
        file_id as imported_file_id,
        qualified_name as outside_name,
        node_kind = 'EXTERNAL' as is_outside
    from cpg_nodes

),

imports_of_things as (

    select
        imports_found.repo,
        imports_found.path,
        imports_found.file_id,
        imports_found.imported_id,
        imported_things.imported_file_id,
        imported_things.outside_name,
        imported_things.is_outside
    from imports_found
    inner join imported_things
        on imports_found.imported_id = imported_things.imported_id

),

importers as (

    select
        file_id,
        qualified_name as importer
    from cpg_nodes
    where node_kind = 'MODULE'

),

-- a file is one module
imports_of_modules as (

    select
        imports_of_things.repo,
        imports_of_things.path,
        imports_of_things.file_id,
        imports_of_things.imported_id,
        imports_of_things.imported_file_id,
        imports_of_things.outside_name,
        imports_of_things.is_outside,
        importers.importer
    from imports_of_things
    inner join importers
        on imports_of_things.file_id = importers.file_id

),

imported_modules as (

    select
        file_id as imported_file_id,
        qualified_name as inside_name
    from cpg_nodes
    where node_kind = 'MODULE'

),

imports_between_modules as (

    select
        imports_of_modules.repo,
        imports_of_modules.path,
        imports_of_modules.file_id,
        imports_of_modules.imported_id,
        imports_of_modules.imported_file_id,
        imports_of_modules.outside_name,
        imports_of_modules.is_outside,
        imports_of_modules.importer,
        imported_modules.inside_name
    from imports_of_modules
    left join imported_modules
        on imports_of_modules.imported_file_id = imported_modules.imported_file_id

),

imports_named as (

    select
        repo,
        path,
        coalesce(importer, '') as importer,
        coalesce(inside_name, outside_name, '') as imported_name,
        is_outside
    from imports_between_modules

),

imports_counted as (

    select
        repo,
        path,
        importer,
        imported_name,
        is_outside,
        count(*) as import_count
    from imports_named
    group by
        repo,
        path,
        importer,
        imported_name,
        is_outside

)

select * from imports_counted
