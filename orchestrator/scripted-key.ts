/** A key of the scripted model begins so: its turns are in no bill. */
export const scriptedKeyPrefix = 'sk-ant-scripted-'
