// Runs in mongosh: initiates the replica set and creates the user of the service, or sets its password. `HOSTS` names other
// members, separated by commas, and `SECRETS` another folder.
const { readFileSync } = require('node:fs')

const { HOSTS = 'mongodb-1:27017,mongodb-2:27017,mongodb-3:27017', SECRETS = '/run/secrets' } = process.env
const hosts = HOSTS.split(',')
const readSecret = (name) => readFileSync(`${SECRETS}/${name}`, 'utf8').trim()
const root = `mongodb://root:${encodeURIComponent(readSecret('mongodb-root-password'))}`

// Only the first member has users before the replica set exists.
const first = connect(`${root}@${hosts[0]}/admin?directConnection=true`)
if (first.hello().setName === undefined) {
  const config = { _id: 'siteprint', members: hosts.map((host, _id) => ({ _id, host })) }
  const { ok, errmsg } = first.adminCommand({ replSetInitiate: config })
  if (ok !== 1) throw new Error(`the replica set was not initiated: ${errmsg}`)
}

// Waits until a primary is elected.
const database = connect(
  `${root}@${HOSTS}/siteprint?authSource=admin&replicaSet=siteprint&serverSelectionTimeoutMS=60000`,
)
const user = { pwd: readSecret('mongodb-password'), roles: ['readWrite', 'dbAdmin'] }
if (database.getUser('siteprint') === null) database.createUser({ user: 'siteprint', ...user })
else database.updateUser('siteprint', user)
print('The replica set and its user are ready.')
