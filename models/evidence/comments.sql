-- Generated from python_hooks/codelake/semantic/catalog/texts.py, digest 20f4b8da.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

comments_of_files as (

    select
        repo,
        path,
        file_id,
        comments
    from evidence

),

comments_seen as (

    select
        repo,
        path,
        file_id,
        entry.kind,
        entry.text as comment_text,
        entry.codes,
        entry.bstart,
        entry.bend,
        entry.line,
        entry.col,
        entry.end_col,
        entry.is_own_line,
        entry.repeat_no
    from comments_of_files
        lateral view explode(comments) comments_exploded as entry

)

select * from comments_seen
