import { Type } from 'typebox'

/** Why an operator withholds something: one line, for it stands in statuses, tables and comments. */
export const OperatorReason = Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })
