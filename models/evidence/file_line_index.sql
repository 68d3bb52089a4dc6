-- Generated from python_hooks/codelake/semantic/catalog/files.py, digest 49e0994e.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

lines_of_files as (

    select
        repo,
        path,
        file_id,
        size_bytes,
        line_starts
    from evidence

),

lines as (

    select
        repo,
        path,
        file_id,
        line_pos + 1 as line_no,
        line_start as line_start_byte,
        coalesce(get(line_starts, line_pos + 1), cast(size_bytes as int)) as line_end_byte
    from lines_of_files
        lateral view posexplode(line_starts) line_starts_of_files as line_pos, line_start

)

select * from lines
