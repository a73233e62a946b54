import * as Flags from '@oclif/core/flags'

export const upsertFlags = {
  upsert: Flags.boolean({ description: 'update documents that already exist' }),
  by: Flags.string({
    description: 'with --upsert, the field that identifies a document (or id)',
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
  /** Field that identifies documents. Undefined without `--upsert` or `--by`. */
  readonly by: string | undefined
  /** The API key. */
  readonly key: string | undefined
  /** Note for users of the old spelling. */
  readonly note: string | undefined
}

/** Also accepts the old spelling `--upsert --key email`, because no API key looks like a field. */
export function readUpsert({ upsert, by, key }: Given): Upsert {
  const isField = upsert && by === undefined && key !== undefined && !/^svc_(key|secret)_/.test(key)
  if (!isField) return { by, key, note: undefined }
  return { by: key, key: undefined, note: `Using --by ${key}. The --key flag is for the API key.` }
}
