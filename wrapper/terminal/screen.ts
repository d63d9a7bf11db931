/** Dialogs of the CLI at boot. All of them default to the refusing option, so nothing is ever pressed blindly. */
type Dialog = 'bypass-permissions' | 'trust-folder' | 'mcp-server' | 'api-key' | 'onboarding'

const marks: Readonly<Record<Dialog, readonly RegExp[]>> = {
  'bypass-permissions': [/BypassPermissionsmode/i, /No,exit/i, /Yes,Iaccept/i],
  'trust-folder': [/Yes,Itrustthisfolder/i],
  'mcp-server': [/NewMCPserverfound/i],
  'api-key': [/DetectedacustomAPIkey/i],
  onboarding: [/UnabletoconnecttoAnthropic|Choosethetextstyle/i],
}

/** The dialog that the tail of the output shows. Cursor moves stand in for blanks on the wire, so blanks don't count. */
export function dialogOnScreen(tail: string): Dialog | undefined {
  const text = plainText(tail).replace(/\s+/g, '')
  const dialogs = Object.keys(marks) as Dialog[]
  return dialogs.find((dialog) => marks[dialog].every((mark) => mark.test(text)))
}

/** Escape sequences removed: good enough to search and to show to a person, not a rendering. */
export function plainText(tail: string): string {
  return tail
    .replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
    .replace(/\u001b[P^_][^\u001b]*\u001b\\/g, '')
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, ' ')
    .replace(/\u001b[()#][0-9A-Za-z]|\u001b[=>78cDEHMNOZ]/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
}
