import { placed, SvcError } from '../../../client/protocol/model/errors.js'

/** Prefixes the paths of issues with the number of the step. */
export async function atStep<Result>(number: number, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    if (error.issues.length > 0) throw placed(error, (path) => [number, ...path])
    throw new SvcError(error.code, error.message, [{ path: [number], message: error.message, type: error.code }])
  }
}
