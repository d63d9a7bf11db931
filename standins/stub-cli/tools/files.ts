/** Read, Write and Edit. As in the real CLI, only what was read may be overwritten or edited. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { schemaOf, type Tool, type ToolAnswer } from './tool.ts'

export function fileTools(cwd: string): readonly Tool[] {
  const known = new Set<string>()
  return [readTool(cwd, known), writeTool(known), editTool(known)]
}

function readTool(cwd: string, known: Set<string>): Tool {
  return {
    name: 'Read',
    description: 'Reads a file.',
    inputSchema: schemaOf({ file_path: 'string' }, ['file_path']),
    async run(input) {
      const file = String(input['file_path'] ?? '')
      if (!existsSync(file)) return refused(`File does not exist. Note: your current working directory is ${cwd}.`)
      known.add(file)
      const lines = readFileSync(file, 'utf8').split('\n')
      return done(lines.map((line, index) => `${index + 1}\t${line}`).join('\n'))
    },
  }
}

function writeTool(known: Set<string>): Tool {
  return {
    name: 'Write',
    description: 'Writes a file.',
    inputSchema: schemaOf({ file_path: 'string', content: 'string' }, ['file_path', 'content']),
    async run(input) {
      const file = String(input['file_path'] ?? '')
      if (existsSync(file) && !known.has(file))
        return refused('File has not been read yet. Read it first before writing to it.')
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, String(input['content'] ?? ''))
      known.add(file)
      return done(`File written successfully at: ${file}`)
    },
  }
}

function editTool(known: Set<string>): Tool {
  return {
    name: 'Edit',
    description: 'Replaces a text in a file.',
    inputSchema: schemaOf({ file_path: 'string', old_string: 'string', new_string: 'string', replace_all: 'boolean' }, [
      'file_path',
      'old_string',
      'new_string',
    ]),
    async run(input) {
      const file = String(input['file_path'] ?? '')
      const [before, after] = [String(input['old_string'] ?? ''), String(input['new_string'] ?? '')]
      if (!known.has(file)) return refused('File has not been read yet. Read it first before writing to it.')
      const content = readFileSync(file, 'utf8')
      const found = content.split(before).length - 1
      if (found === 0) return refused(`String to replace not found in file.\nString: ${before}`)
      if (found > 1 && input['replace_all'] !== true)
        return refused(`Found ${found} matches of the string to replace, but replace_all is false.`)
      writeFileSync(file, content.split(before).join(after))
      return done(`The file ${file} has been updated successfully.`)
    },
  }
}

function done(text: string): ToolAnswer {
  return { text, error: false }
}

function refused(text: string): ToolAnswer {
  return { text, error: true }
}
