import { httpStatus, SvcError } from '../../client/protocol/model/errors.js'
import type { Client } from '../base/target-command.js'

type NewCollection = Parameters<Client['collections']['create']>[0]

/** Creates the collection unless it exists. Returns whether it was created. */
export async function createIfMissing(client: Client, collection: NewCollection): Promise<boolean> {
  try {
    await client.collections.create(collection)
    return true
  } catch (error) {
    if (error instanceof SvcError && isTaken(error)) return false
    throw error
  }
}

/** Deployed services have no error code for this. */
function isTaken(error: SvcError): boolean {
  return error.code === 'COLLECTION_EXISTS' || (httpStatus(error) === 400 && /\balready exists\b/i.test(error.message))
}
