/// The session of the specification up to its first `undo`: what is typed and what comes back, from the first
/// prompt to the last answer.
let transcript = #"""
  stsh> describe
  module   origin  fields  actions  projections
  counter  swift   2       4        0
  tasks    swift   2       3        2
  stsh> describe tasks
  module tasks (swift)
  state
    nextId  Int
    items   [Task]  Task{id: Int, title: String, done: Bool}
  actions
    tasks.add title:String
    tasks.complete id:Int
    tasks.remove id:Int
  projections
    tasks.open     [Task]
    tasks.summary  String
  stsh> dispatch tasks.add "Buy milk"
  #1 tasks.add title="Buy milk"
    tasks.nextId  1 -> 2
    tasks.items[id=1]  + { id = 1, title = "Buy milk", done = false }
  stsh> dispatch tasks.add title="Write report"
  #2 tasks.add title="Write report"
    tasks.nextId  2 -> 3
    tasks.items[id=2]  + { id = 2, title = "Write report", done = false }
  stsh> show tasks
  nextId  3
  items   2 items
    id  title         done
    1   Buy milk      false
    2   Write report  false
  stsh> show tasks.open --as json
  [{"id":1,"title":"Buy milk","done":false},{"id":2,"title":"Write report","done":false}]
  stsh> show tasks.items[id=2].title
  "Write report"
  stsh> show tasks.items[*].title --as raw
  Buy milk
  Write report
  stsh> dispatch counter.increment
  #3 counter.increment
    counter.value  0 -> 1
  stsh> dispatch counter.increment by=$(state.counter.value + 4)
  #4 counter.increment by=5
    counter.value  1 -> 6
  stsh> dispatch counter.incremnt
  error[unknown-action]: unknown action 'counter.incremnt'
    dispatch counter.incremnt
             ^~~~~~~~~~~~~~~~
    hint: did you mean 'counter.increment'?
  stsh> = state.counter.value * 10
  60
  stsh> plugin load pomodoro
  #5 shell.loadPlugin name="pomodoro" version="0.1.0"
    3 actions, 2 middleware, 1 command
  stsh> watch pomodoro.phase
  watch 1: pomodoro.phase = "idle"
  stsh> dispatch pomodoro.start minutes=1 task=2
  [watch 1] pomodoro.phase  "idle" -> "work"  (#6 pomodoro.start)
  #6 pomodoro.start minutes=1 task=2
    pomodoro.phase  "idle" -> "work"
    pomodoro.left  0 -> 60
    pomodoro.task  + 2
    pomodoro.length  0 -> 1
  stsh> pomodoro status
  work 01:00 on Write report
  stsh> wait 30s
  stsh> pomodoro status
  work 00:30 on Write report
  stsh> effects
  id                    wakes
  pomodoro/clock/ticks  in 1.0s
  stsh> wait 31s
  [watch 1] pomodoro.phase  "work" -> "rest"  (#66 pomodoro.tick)
  stsh> show tasks.summary
  "1 of 2 done"
  stsh> log
  n      at     source                    action                                            changed
  #1     0.0s   repl:3                    tasks.add title="Buy milk"                        tasks.nextId, tasks.items[id=1]
  #2     0.0s   repl:4                    tasks.add title="Write report"                    tasks.nextId, tasks.items[id=2]
  #3     0.0s   repl:9                    counter.increment                                 counter.value
  #4     0.0s   repl:10                   counter.increment by=5                            counter.value
  #5     0.0s   repl:13                   shell.loadPlugin name="pomodoro" version="0.1.0"  -
  #6     0.0s   repl:15                   pomodoro.start minutes=1 task=2                   pomodoro.phase, pomodoro.left, pomodoro.task, pomodoro.length
  #7-66  60.0s  plugin:pomodoro/clock     pomodoro.tick x60                                 pomodoro.left, pomodoro.phase, pomodoro.rounds[1]
  #67    60.0s  plugin:pomodoro/finisher  tasks.complete id=2                               tasks.items[id=2].done
  stsh> log --changed tasks.items
  n    at     source                    action                          changed
  #1   0.0s   repl:3                    tasks.add title="Buy milk"      tasks.nextId, tasks.items[id=1]
  #2   0.0s   repl:4                    tasks.add title="Write report"  tasks.nextId, tasks.items[id=2]
  #67  60.0s  plugin:pomodoro/finisher  tasks.complete id=2             tasks.items[id=2].done

  """#
