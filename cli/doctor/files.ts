import { openControl } from '../target/control.js'
import { counted } from '../terminal/print.js'
import { type Patient, type Seen, well } from './finding.js'

const mostNamed = 5

/** Whether each stored file has its bytes, which a copy of the folder without all of `files` lacks. */
export async function checkFiles({ emulator }: Patient): Promise<Seen> {
  if (!emulator) return well('seen while an emulator runs')
  const { count, files } = await openControl(emulator).info.missingFiles()
  if (count === 0) return well('none is missing')
  const named = files.slice(0, mostNamed).map(({ id, name, path }) => `${path === '' ? '' : `${path}/`}${name} (${id})`)
  const others = count - named.length
  const message = `The bytes of ${counted(count, 'file')} are gone: ${named.join(', ')}${others > 0 ? `, and ${others} more` : ''}.`
  const remedy =
    'Bring them back from a copy of the state folder or an exported snapshot (svc snapshot import), ' +
    `or delete the files: svc files delete ${files[0]?.id}. Those of documents and users go with these.`
  return { said: `${count} without bytes`, findings: [{ code: 'FILES_MISSING', level: 'wrong', message, remedy }] }
}
