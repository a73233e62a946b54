import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { noTokenSent } from '../../../client/protocol/wire/records/decode.js'
import { passwordFlag, UserCommand } from '../../base/user-command.js'
import { fieldsArg, fieldsDescription, readFields } from '../../documents/fields-args.js'
import { shellWord } from '../../terminal/shell-word.js'
import { printable } from '../../terminal/text-width.js'

export default class UsersSignup extends UserCommand {
  static override summary = 'Sign up a user and print the token.'
  static override description = `Takes ${fieldsDescription}, for the data of the user.`
  static override examples = [
    '<%= config.bin %> users signup ada@example.com --password Correct4Horse',
    '<%= config.bin %> users signup ada@example.com --role seller username=ada age:=36',
  ]
  static override usage = 'users signup EMAIL [FIELD=text] [FIELD:=json]'
  static override args = {
    email: Args.string({ required: true, description: 'email of the user' }),
    field: fieldsArg,
  }
  static override flags = {
    password: passwordFlag,
    role: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'role of the user, if the project allows it',
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, argv, flags } = await this.parse(UsersSignup)
    const password = await this.askPassword(flags.password, flags)
    const client = await this.clientForWrite(flags, `Sign up ${args.email}`)
    const data = readFields(argv.slice(1).map(String))
    const input = { email: args.email, password, data, roles: flags.role }
    const result = await client.auth.signUp(input).catch(undefinedIfNoToken)

    const login = this.there(`svc users login ${shellWord(args.email)}`)
    if (!result) {
      this.noteAlways(`Signed up ${args.email}. The response has no token. Log in: ${login}`)
      return { requires2fa: false, token: null }
    }
    if (result.requires2fa) this.note(`${result.message} ${login} --code <code>`)
    else {
      this.note(`Signed up ${args.email}.`)
      this.log(printable(result.token))
    }
    return result
  }
}

/** Ignores a response without a token, because the account exists. @throws every other failure */
function undefinedIfNoToken(error: unknown): undefined {
  const cause = error instanceof SvcError ? error.cause : undefined
  if (!(cause instanceof SvcError) || cause.message !== noTokenSent) throw error
}
