import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { fieldsDescription, readFields } from '../documents/fields-args.js'

export const accountArg = Args.string({ required: true, description: 'id of the account' })

export const accountFlags = {
  name: Flags.string({ description: 'name of the account' }),
  email: Flags.string({ description: 'email address; "" for none', helpValue: 'address' }),
  verified: Flags.boolean({ allowNo: true, description: 'whether the provider has verified the email address' }),
  claim: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description: `further claims: ${fieldsDescription}`,
    helpValue: 'name=value',
  }),
}

interface AccountFlags {
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly verified?: boolean | undefined
  readonly claim?: readonly string[] | undefined
}

export function readAccountFlags({ name, email, verified, claim }: AccountFlags) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email: email === '' ? null : email }),
    ...(verified === undefined ? {} : { emailVerified: verified }),
    ...(claim === undefined ? {} : { claims: readFields(claim) }),
  }
}
