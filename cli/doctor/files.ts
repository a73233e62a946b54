import { openControl } from '../target/control.js'
import { counted } from '../terminal/print.js'
import { type Patient, type Seen, well } from './finding.js'

const maxNamed = 5

/** Finds stored files without content, for example after a copy of the folder without all of `files`. */
export async function checkFiles({ emulator }: Patient): Promise<Seen> {
  if (!emulator) return well('checked only while an emulator runs')
  const { count, files } = await openControl(emulator).info.missingFiles()
  if (count === 0) return well('none missing')
  const named = files.slice(0, maxNamed).map(({ id, name, path }) => `${path === '' ? '' : `${path}/`}${name} (${id})`)
  const others = count - named.length
  const message = `The content of ${counted(count, 'file')} is missing: ${named.join(', ')}${others > 0 ? `, and ${others} more` : ''}.`
  const remedy =
    'Restore them from a copy of the state folder or from an exported snapshot (svc snapshot import), ' +
    `or delete the files: svc files delete ${files[0]?.id}. To delete a file of a document or user, delete that.`
  return { said: `${count} without content`, findings: [{ code: 'FILES_MISSING', level: 'wrong', message, remedy }] }
}
