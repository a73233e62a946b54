import * as Flags from '@oclif/core/flags'

export const upsertFlags = {
  upsert: Flags.boolean({ description: 'change the documents that are there already' }),
  by: Flags.string({
    description: 'with --upsert, the field by which a document is known; id is its id',
    helpValue: 'field',
    dependsOn: ['upsert'],
  }),
}

interface Given {
  readonly upsert: boolean
  readonly by?: string | undefined
  readonly key?: string | undefined
}

interface Upsert {
  /** The field by which documents are known; undefined where they are not changed, or it was not named. */
  readonly by: string | undefined
  /** The API key. */
  readonly key: string | undefined
  /** What to say where the field is spelled as it was once. */
  readonly note: string | undefined
}

/** `--upsert --key email`, which is the older spelling of `--by`, is read too: no API key looks like a field. */
export function readUpsert({ upsert, by, key }: Given): Upsert {
  const isField = upsert && by === undefined && key !== undefined && !/^svc_(key|secret)_/.test(key)
  if (!isField) return { by, key, note: undefined }
  return { by: key, key: undefined, note: `Read as --by ${key}: --key is the API key.` }
}
