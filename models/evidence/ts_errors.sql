-- Generated from python_hooks/codelake/semantic/catalog/texts.py, digest 8bd9cbc7.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

ts_problems_of_files as (

    select
        repo,
        path,
        file_id,
        ts_problems
    from evidence

),

ts_errors_seen as (

    select
        repo,
        path,
        file_id,
        problem.node_type,
        problem.parent_type,
        problem.bstart,
        problem.bend,
        problem.line,
        problem.col,
        problem.text as problem_text
    from ts_problems_of_files
        lateral view explode(ts_problems) ts_problems_exploded as problem
    where problem.kind = 'error'

)

select * from ts_errors_seen
