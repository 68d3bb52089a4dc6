-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest 6fc58bdf.
-- Do not edit: run `codelake compile`.
with

ast_imports as (

    select * from {{ ref('ast_imports') }}

),

repo_files as (

    select * from {{ ref('repo_files') }}

),

imports_of_modules as (

    select
        ast_imports.repo,
        ast_imports.path,
        ast_imports.file_id,
        ast_imports.import_id,
        ast_imports.owner_id,
        ast_imports.kind,
        ast_imports.module,
        ast_imports.name,
        ast_imports.asname,
        ast_imports.level,
        ast_imports.is_star,
        repo_files.module_name,
        repo_files.is_package,
        repo_files.parser
    from ast_imports
    inner join repo_files
        on ast_imports.file_id = repo_files.file_id

),

imports_once as (

    select
        repo,
        path,
        file_id,
        kind,
        module,
        name,
        asname,
        level,
        is_star,
        module_name,
        is_package,
        parser
    from imports_of_modules
    group by
        repo,
        path,
        file_id,
        kind,
        module,
        name,
        asname,
        level,
        is_star,
        module_name,
        is_package,
        parser

),

imports_resolved as (

    select
        repo,
        path,
        file_id,
        coalesce(parser, 'scan') as origin,
        kind,
        module,
        name,
        asname,
        level,
        is_star,
        case
            when level = 0 then module
            when size(split(module_name, '[.]')) + cast(is_package as int) - level > 0
                then concat_ws(
                    '.',
                    substring_index(
                        module_name,
                        '.',
                        size(split(module_name, '[.]')) + cast(is_package as int) - level
                    ),
                    module
                )
        end as absolute_module
    from imports_once

)

select * from imports_resolved
