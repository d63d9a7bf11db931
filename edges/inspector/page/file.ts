/** A file is not live: in its time nothing goes on, and the line says which file it is. */
export const { file } = document.body.dataset

/** What a store no longer keeps may never have been in a file. */
export const absence = file === undefined ? 'no longer kept' : 'not in this file'
