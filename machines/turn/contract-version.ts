/**
 * The contract's version (VERSIONING-2, VERSIONING-3): the wrapper reports it, the orchestrator and the MCP server expect the same. Apart
 * from the forms of the wire, which are not what a machine does: the pod reads this number.
 */
export const contractVersion = 4
