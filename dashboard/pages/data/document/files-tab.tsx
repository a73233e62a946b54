import type { Json } from '../../../../client/index.js'
import { isObject } from '../../../../client/protocol/model/json.js'
import { detectType, fileName } from '../../../parts/columns.js'
import { Preview } from '../../../parts/preview.js'
import { Empty } from '../../../parts/states.js'
import { useSession } from '../../../session/context.js'

/** Collects all file addresses in a document. */
export function filesIn(value: Json): string[] {
  if (typeof value === 'string') return detectType(value) === 'file' ? [value] : []
  if (Array.isArray(value)) return [...new Set(value.flatMap(filesIn))]
  return isObject(value) ? [...new Set(Object.values(value).flatMap(filesIn))] : []
}

export function FilesTab({ files }: { files: readonly string[] }) {
  const { hereUrl } = useSession()
  if (files.length === 0) {
    return <Empty title="No files">If a field contains the address of a file, the file appears here.</Empty>
  }
  return (
    <ul className="previews">
      {files.map((url) => (
        <li key={url}>
          <Preview url={hereUrl(url)} name={fileName(url)} />
          <a href={hereUrl(url)} target="_blank" rel="noreferrer" className="mono">
            {fileName(url)}
          </a>
        </li>
      ))}
    </ul>
  )
}
