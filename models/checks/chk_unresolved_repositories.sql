-- Generated from python_hooks/codelake/semantic/catalog/checks.py, digest 97f39271.
-- Do not edit: run `codelake compile`.
-- depends_on: {{ ref('cpg_nodes') }}
-- depends_on: {{ ref('cpg_edges') }}
with

resolution as (

    select * from {{ ref('resolution') }}

),

files_without_answers as (

    select
        repo,
        coalesce(resolution_error, '') as resolution_error
    from resolution
    where resolution_error is not null

),

unresolved_repositories as (

    select
        repo,
        resolution_error,
        count(*) as file_count
    from files_without_answers
    group by
        repo,
        resolution_error

)

select * from unresolved_repositories
