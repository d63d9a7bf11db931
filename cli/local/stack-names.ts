/** Names that each stack has. */
export const project = 'demo'
export const triggerLabel = 'platform'
