use super::*;
use crate::clock::{HOUR, MINUTE};
use crate::flags::{Flags, MESSAGE2, bit};
use crate::sample::MessageId;

const NOW: Millis = 1_794_740_400_000;
const SINCE: Millis = NOW - HOUR;
const OWNER: AccountId = AccountId(1);
const MEMBER: AccountId = AccountId(2);
const ELECTRICIAN: AccountId = AccountId(3);

fn owner() -> InForceReader {
    InForceReader {
        account: OWNER,
        owner: Some(OWNER),
        level: AccessLevel::Owner,
        history_from: 0,
    }
}

fn electrician(level: AccessLevel) -> InForceReader {
    InForceReader {
        account: AccountId(4),
        level,
        ..owner()
    }
}

fn effect(kind: EffectKind, by: Option<AccountId>) -> Effect {
    let author = |account| Author {
        account,
        company: (account == ELECTRICIAN).then(|| "Blitz GmbH".to_owned()),
    };
    Effect {
        kind,
        since: SINCE,
        by: by.map(author),
    }
}

fn pause() -> Effect {
    effect(EffectKind::Pause { until: NOW + HOUR }, Some(OWNER))
}

fn charge(soc: i64) -> Effect {
    effect(EffectKind::Charge { soc, power: None }, Some(OWNER))
}

fn plan(mode: PlanMode) -> Effect {
    let block = PlanBlock {
        start: NOW - MINUTE,
        end: NOW + HOUR,
        mode,
    };
    let kind = EffectKind::Plan {
        blocks: vec![block],
        expires: NOW + 30 * MINUTE,
    };
    effect(kind, None)
}

fn update(state: JobState) -> UpdateProgress {
    UpdateProgress {
        state,
        switch: None,
        since: SINCE,
        part: 1,
        parts: 2,
        progress: 40,
    }
}

fn sample(change: impl FnOnce(&mut Sample)) -> Sample {
    let mut sample = Sample {
        at: NOW,
        id: MessageId::new(1, 1),
        voltage: [None; 3],
        frequency: None,
        meter_power: [None; 3],
        grid_power: None,
        pv_power: None,
        battery_power: None,
        soc: Some(500),
        counters: [None; 5],
        status: BatteryStatus::Standby,
        flags: Flags::default(),
    };
    change(&mut sample);
    sample
}

fn list(effects: &[Effect], sample: &Sample) -> Vec<InForce> {
    let inputs = InForceInputs {
        effects,
        online: true,
        sample: Some(sample),
        update: None,
        braked_since: None,
        now: NOW,
    };
    in_force(inputs, owner())
}

fn names(effects: &[Effect], sample: &Sample) -> Vec<&'static str> {
    let list = list(effects, sample).into_iter();
    list.map(|one| one.kind.as_str()).collect()
}

#[test]
fn what_is_in_force() {
    let limit = effect(EffectKind::GridLimit { watts: 4_200 }, None);
    let reserve = effect(EffectKind::Reserve { soc: Some(20) }, None);
    let asked = effect(EffectKind::Calibration, Some(OWNER));
    let ended = effect(EffectKind::Pause { until: NOW }, Some(OWNER));
    let mut expired = plan(PlanMode::Charge);
    if let EffectKind::Plan { expires, .. } = &mut expired.kind {
        *expires = NOW;
    }
    let normal = sample(|_| {});
    let off = sample(|sample| sample.flags.message2 = bit(MESSAGE2, "aus"));
    let calibrating = sample(|sample| sample.status = BatteryStatus::Calibrating);
    let table: [(&str, &[Effect], &Sample, &[&str]); 13] = [
        ("nothing", &[], &normal, &[]),
        ("a pause", &[pause()], &normal, &["pause"]),
        ("a pause whose time is over", &[ended], &normal, &[]),
        (
            "a pause at a battery that was switched off",
            &[pause()],
            &off,
            &[],
        ),
        ("a charge on its way", &[charge(80)], &normal, &["charge"]),
        ("a charge that is reached", &[charge(50)], &normal, &[]),
        ("a plan", &[plan(PlanMode::Charge)], &normal, &["plan"]),
        ("a plan that ran out", &[expired], &normal, &[]),
        (
            "a command comes before a plan",
            &[plan(PlanMode::Hold), pause()],
            &normal,
            &["pause"],
        ),
        (
            "a plan at a battery that is off",
            &[plan(PlanMode::Hold)],
            &off,
            &[],
        ),
        (
            "the battery calibrates by itself",
            &[plan(PlanMode::Hold)],
            &calibrating,
            &["calibration"],
        ),
        (
            "a calibration that the battery does not report",
            &[asked],
            &normal,
            &[],
        ),
        (
            "a limit comes before a command, the reserve last",
            &[reserve, pause(), limit],
            &normal,
            &["grid_limit", "pause", "reserve"],
        ),
    ];
    for (what, effects, sample, want) in table {
        assert_eq!(names(effects, sample), want, "{what}");
    }
}

#[test]
fn of_a_silent_battery_only_what_has_an_end_of_its_own_is_in_force() {
    let effects = [
        effect(EffectKind::GridLimit { watts: 4_200 }, None),
        effect(EffectKind::Reserve { soc: Some(20) }, None),
        effect(EffectKind::Calibration, Some(OWNER)),
        plan(PlanMode::Hold),
    ];
    let names = |effects: &[Effect], state| {
        let inputs = InForceInputs {
            effects,
            online: false,
            sample: None,
            update: Some(update(state)),
            braked_since: None,
            now: NOW,
        };
        let list = in_force(inputs, owner()).into_iter();
        list.map(|one| one.kind.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(names(&effects, JobState::Waiting), ["update", "plan"]);
    assert_eq!(names(&[pause()], JobState::Running), ["update", "pause"]);
    // It is unknown whether the target is reached, or whether the plan is followed.
    let charge = [charge(80), plan(PlanMode::Hold)];
    assert_eq!(names(&charge, JobState::Waiting), ["update"]);
}

#[test]
fn an_old_report_does_not_end_what_began_later() {
    let before = sample(|sample| {
        sample.at = SINCE;
        sample.flags.message2 = bit(MESSAGE2, "aus");
    });
    assert_eq!(names(&[pause()], &before), ["pause"]);
    let asked = effect(EffectKind::Calibration, Some(OWNER));
    let soon = sample(|sample| sample.at = SINCE + MINUTE);
    assert!(!asked.is_ended_by(&soon));
    assert!(asked.is_ended_by(&sample(|_| {})));
}

#[test]
fn each_reader_learns_who_it_was_as_far_as_they_may() {
    let by = |author, reader: InForceReader| {
        let effects = [effect(EffectKind::Pause { until: NOW + HOUR }, author)];
        let inputs = InForceInputs {
            effects: &effects,
            online: true,
            sample: None,
            update: None,
            braked_since: None,
            now: NOW,
        };
        in_force(inputs, reader).remove(0).by
    };
    let company = |name: &str| Some(CausedBy::Electrician(Some(name.to_owned())));
    let later = InForceReader {
        history_from: SINCE + 1,
        ..owner()
    };
    let guest = electrician(AccessLevel::Monitor);
    for (author, reader, want) in [
        (Some(OWNER), owner(), Some(CausedBy::You)),
        (Some(MEMBER), owner(), Some(CausedBy::Household)),
        (Some(ELECTRICIAN), owner(), company("Blitz GmbH")),
        (Some(OWNER), guest, Some(CausedBy::Owner)),
        (Some(MEMBER), guest, Some(CausedBy::Household)),
        (Some(ELECTRICIAN), guest, Some(CausedBy::Electrician(None))),
        (None, owner(), None),
        (Some(OWNER), later, None),
    ] {
        assert_eq!(by(author, reader), want, "{author:?} {reader:?}");
    }
}

#[test]
fn only_who_may_is_offered_the_end() {
    let ends = |level, state| {
        let effects = [pause()];
        let inputs = InForceInputs {
            effects: &effects,
            online: true,
            sample: None,
            update: Some(update(state)),
            braked_since: Some(SINCE),
            now: NOW,
        };
        let list = in_force(inputs, electrician(level)).into_iter();
        list.map(|one| (one.kind.as_str(), one.end))
            .collect::<Vec<_>>()
    };
    let (withdraw, auto) = (Some(EndAction::Withdraw), Some(EndAction::Auto));
    let list = |update, pause| [("update", update), ("brake", None), ("pause", pause)];
    for (level, state, want) in [
        (
            AccessLevel::Service,
            JobState::Waiting,
            list(withdraw, auto),
        ),
        (AccessLevel::Service, JobState::Running, list(None, auto)),
        (AccessLevel::Configure, JobState::Waiting, list(None, None)),
        (AccessLevel::Look, JobState::Waiting, list(None, None)),
        (AccessLevel::Member, JobState::Waiting, list(withdraw, auto)),
    ] {
        assert_eq!(ends(level, state), want, "{level:?} {state:?}");
    }
}
